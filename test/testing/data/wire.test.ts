import { describe, expect, it } from '@jest/globals';
import { decode, encode } from '../../../lib/testing/wire/codec.js';
import { frame, FrameLengthError, FrameSplitter } from '../../../lib/testing/wire/frame-splitter.js';
import { JuteReader } from '../../../lib/testing/wire/jute-reader.js';
import { JuteWriter } from '../../../lib/testing/wire/jute-writer.js';
import { MalformedRecordError } from '../../../lib/testing/wire/malformed-record-error.js';
import { OpCode } from '../../../lib/testing/wire/op-codes.js';
import { operations } from '../../../lib/testing/wire/operations.js';
import { connectRequestCodec } from '../../../lib/testing/wire/records.js';

describe('records', () => {
  it('should have the bytes that ZooKeeper documents for a getData request', () => {
    const bytes = encode(operations.getData.request, { path: '/a', watch: true });
    expect(bytes.toString('hex')).toBe('000000022f6101');
  });

  it('should be read as they were written', () => {
    const ops = [
      { op: OpCode.setData, request: { path: '/ä', data: Buffer.from([0, 255]), version: -1 } },
      { op: OpCode.delete, request: { path: null, version: 3 } },
    ];
    expect(decode(operations.multi.request, encode(operations.multi.request, ops))).toEqual(ops);
  });

  it('should refuse lengths that the bytes cannot have', () => {
    for (const length of [-2, 5, 0x7fffffff]) {
      const writer = new JuteWriter();
      writer.int(length);
      writer.raw(Buffer.from('abcd'));
      const bytes = writer.finish();
      expect(() => new JuteReader(bytes).string()).toThrow(MalformedRecordError);
      expect(() => new JuteReader(bytes).buffer()).toThrow(MalformedRecordError);
    }
  });

  it('should read a connect request of a client that does not know read-only servers', () => {
    const request = {
      protocolVersion: 0,
      lastZxidSeen: 0n,
      timeOut: 4000,
      sessionId: 0n,
      passwd: null,
      readOnly: undefined,
    };
    expect(decode(connectRequestCodec, encode(connectRequestCodec, request))).toEqual(request);
  });

  it('should write halves of surrogate pairs one by one and read each as one replacement, as Java does', () => {
    const writer = new JuteWriter();
    writer.string('a😀');
    const bytes = writer.finish();
    expect(bytes.subarray(4).toString('hex')).toBe('61eda0bdedb880');
    expect(new JuteReader(bytes).string()).toBe('a��');
  });
});

describe('frames', () => {
  it('should come out whole, wherever the stream was cut', () => {
    const sent = [Buffer.from('one'), Buffer.alloc(0), Buffer.from('three')];
    const stream = Buffer.concat(sent.map((bytes) => frame(bytes)));
    for (let size = 1; size <= stream.length; size++) {
      const splitter = new FrameSplitter(5);
      const received: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) {
        received.push(...splitter.push(stream.subarray(at, at + size)));
      }
      expect(received).toEqual(sent);
    }
  });

  it('should end with the length that cannot be, after the frames before it', () => {
    const stream = new FrameSplitter(5).push(Buffer.concat([frame(Buffer.from('one')), Buffer.from('ruok')]));
    expect(stream.next().value).toEqual(Buffer.from('one'));
    expect(() => stream.next()).toThrow(new FrameLengthError(0x72756f6b, 5));
  });
});
