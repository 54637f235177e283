import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import { RawClient } from './raw-client.js';

const DATE = String.raw`[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d\d:\d\d:\d\d UTC \d{4}`;

/** The formats are those of a ZooKeeper 3.8.0, line by line. */
describe('four-letter words', () => {
  let server: TestingServer;
  let client: RawClient;
  beforeEach(async () => {
    server = await TestingServer.start({ tickTime: 500 });
    client = await RawClient.open(server.port);
    await client.create('/a');
    await client.create('/a/e', 1);
    await client.ask('getData', { path: '/a', watch: true });
    await client.ask('getData', { path: '/a/e', watch: true });
    await client.ask('getChildren', { path: '/a', watch: true });
  });
  afterEach(async () => {
    await client[Symbol.asyncDispose]();
    await server.stop();
  });
  const ask = (word: string) => RawClient.word(server.port, word);
  const lastZxid = () => `0x${client.replies.at(-1)!.zxid.toString(16)}`;
  const statistics = () => [
    /^Latency min\/avg\/max: \d+\/\d+\.\d{1,4}\/\d+$/,
    /^Received: 7$/,
    /^Sent: 6$/,
    /^Connections: 2$/,
    /^Outstanding: 0$/,
    new RegExp(`^Zxid: ${lastZxid()}$`),
    /^Mode: standalone$/,
    /^Node count: 7$/,
    /^$/,
  ];
  const expectLines = (answer: string, lines: RegExp[]) => {
    const actual = answer.split('\n');
    for (const [i, line] of lines.entries()) expect(actual[i]).toMatch(line);
    expect(actual).toHaveLength(lines.length);
  };

  it('should answer ruok', async () => {
    expect(await ask('ruok')).toBe('imok');
  });

  it('should answer a word in two pieces, with a newline behind it', async () => {
    const socket = connect(server.port, '127.0.0.1').setEncoding('latin1');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    socket.write('ru');
    await client.exists('/');
    socket.write('ok\n');
    await once(socket, 'close');

    expect(answer).toBe('imok');
  });

  it('should answer isro', async () => {
    expect(await ask('isro')).toBe('rw');
  });

  it('should answer srvr', async () => {
    expectLines(await ask('srvr'), [/^Zookeeper version: 3\.8\.0-/, ...statistics()]);
  });

  it('should answer stat', async () => {
    expectLines(await ask('stat'), [
      /^Zookeeper version: 3\.8\.0-/,
      /^Clients:$/,
      new RegExp(String.raw`^ /127\.0\.0\.1:${client.localPort}\[1\]\(queued=0,recved=6,sent=6\)$`),
      /^ \/127\.0\.0\.1:\d+\[0\]\(queued=0,recved=1,sent=0\)$/,
      /^$/,
      ...statistics(),
    ]);
  });

  it('should answer cons', async () => {
    const details = [
      `sid=${client.sessionId}`,
      'lop=GETC',
      String.raw`est=\d{13}`,
      'to=10000',
      'lcxid=0x5',
      `lzxid=${lastZxid()}`,
      String.raw`lresp=\d+,llat=\d+,minlat=\d+,avglat=\d+,maxlat=\d+`,
    ].join(',');

    expectLines(await ask('cons'), [
      new RegExp(String.raw`^ /127\.0\.0\.1:\d+\[1\]\(queued=0,recved=6,sent=6,${details}\)$`),
      /^ \/127\.0\.0\.1:\d+\[0\]\(queued=0,recved=1,sent=0\)$/,
      /^$/,
      /^$/,
    ]);
  });

  it('should answer mntr', async () => {
    const answer = await ask('mntr');
    const values = new Map(
      answer
        .trimEnd()
        .split('\n')
        .map((line) => line.split('\t') as [string, string]),
    );

    expect(answer).toMatch(/^(zk_[a-z_]+\t.+\n)+$/);
    expect(Object.fromEntries(values)).toMatchObject({
      zk_server_state: 'standalone',
      zk_packets_received: '7',
      zk_packets_sent: '6',
      zk_num_alive_connections: '2',
      zk_outstanding_requests: '0',
      zk_znode_count: '7',
      zk_watch_count: '3',
      zk_ephemerals_count: '1',
      zk_global_sessions: '1',
    });
    expect(values.get('zk_avg_latency')).toMatch(/^\d+\.\d{1,4}$/);
  });

  it('should answer conf', async () => {
    expect(await ask('conf')).toBe(
      [
        `clientPort=${server.port}`,
        'secureClientPort=-1',
        'tickTime=500',
        'maxClientCnxns=0',
        'minSessionTimeout=1000',
        'maxSessionTimeout=10000',
        'clientPortListenBacklog=-1',
        'serverId=0',
        '',
      ].join('\n'),
    );
  });

  it('should answer dump', async () => {
    const answer = await ask('dump');

    expect(answer).toMatch(
      new RegExp(
        [
          'SessionTracker dump:',
          String.raw`Session Sets \(\d+\)/\(1\):`,
          String.raw`(0 expire at ${DATE}:\n)*1 expire at ${DATE}:`,
          `\t${client.sessionId}`,
          'ephemeral nodes dump:',
          String.raw`Sessions with Ephemerals \(1\):`,
          `${client.sessionId}:`,
          '\t/a/e',
          'Connections dump:',
          String.raw`Connections Sets \(\d+\)/\(2\):\n`,
        ].join('\n'),
      ),
    );
    expect(answer).toContain(`\tip: /127.0.0.1:${client.localPort} sessionId: ${client.sessionId}\n`);
  });

  it('should answer wchs with the watches on data', async () => {
    expect(await ask('wchs')).toBe('1 connections watching 2 paths\nTotal watches:2\n');
  });

  it('should close the connection at a word that it does not know', async () => {
    expect(await ask('xxxx')).toBe('');
  });

  it('should take a word for a length too long once there is a session', async () => {
    client.write(Buffer.from('ruok'));
    await client.end();

    expect(server.sessions()).toMatchObject([{ id: client.sessionId, connected: false }]);
  });
});
