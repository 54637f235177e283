import { isIP } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ServerAddresses } from '../../lib/session/server-addresses.js';
import { ServerList } from '../../lib/session/server-list.js';

/** A name server that can be changed, and that counts what it is asked. */
function nameServer(names: Record<string, readonly string[]>) {
  const asked: string[] = [];
  const resolve = async (name: string): Promise<readonly string[]> => {
    asked.push(name);
    const found = names[name];
    if (found === undefined) return Promise.reject(new Error(`${name} is unknown`));
    return Promise.resolve(found);
  };
  return { names, asked, resolve };
}

describe('ServerAddresses', () => {
  it('should look nothing up where there are addresses only', async () => {
    const { asked, resolve } = nameServer({});
    const servers = new ServerAddresses('10.0.0.1:2181,::1:2182', resolve);
    await servers.lookUp();
    expect(servers.areFixed).toBe(true);
    expect(servers.latest).toBe('10.0.0.1:2181,::1:2182');
    expect(asked).toEqual([]);
  });

  it('should have all addresses of a name, each with its port, in an order that does not change', async () => {
    const { names, asked, resolve } = nameServer({ zk: ['10.0.0.2', '10.0.0.1'] });
    const servers = new ServerAddresses('zk:2181,zk:2182,10.0.0.9:2183', resolve);
    expect(servers.areFixed).toBe(false);
    await servers.lookUp();
    const all = '10.0.0.1:2181,10.0.0.2:2181,10.0.0.1:2182,10.0.0.2:2182,10.0.0.9:2183';
    expect(servers.latest).toBe(all);
    expect(asked).toEqual(['zk']);
    names.zk = ['10.0.0.1', '10.0.0.2'];
    await servers.lookUp();
    expect(servers.latest).toBe(all);
  });

  it('should keep what it knows of a name that cannot be looked up any more', async () => {
    const { names, resolve } = nameServer({ a: ['10.0.0.1'], b: ['10.0.0.2'] });
    const servers = new ServerAddresses('a:1,b:1', resolve);
    await servers.lookUp();
    delete names.a;
    names.b = ['10.0.0.3'];
    await servers.lookUp();
    expect(servers.latest).toBe('10.0.0.1:1,10.0.0.3:1');
  });

  it('should go without a name that cannot be looked up, and fail when there is no other', async () => {
    const { names, resolve } = nameServer({ b: ['10.0.0.2'] });
    const servers = new ServerAddresses('a:1,b:1', resolve);
    await servers.lookUp();
    expect(servers.latest).toBe('10.0.0.2:1');
    delete names.b;
    await expect(new ServerAddresses('a:1,b:1', resolve).lookUp()).rejects.toThrow('is unknown');
  });
});

describe('ServerList', () => {
  it.each([[['10.0.0.1']], [['10.0.0.1', '10.0.0.2']], [['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']]])(
    'should name all of %j, by address, in lists of odd and changing length',
    async (addresses) => {
      const servers = new ServerAddresses('zk:2181', nameServer({ zk: addresses }).resolve);
      await servers.lookUp();
      const list = new ServerList(servers);
      const lists = [list.next(), list.next(), list.next()].map((hosts) => hosts.split(','));
      for (const hosts of lists) {
        const names = hosts.map((host) => host.slice(0, -':2181'.length));
        expect(hosts.length % 2).toBe(1);
        expect(new Set(names)).toEqual(new Set(addresses));
        expect(names.every((name) => isIP(name) === 4)).toBe(true);
      }
      expect(lists[1]?.length).not.toBe(lists[0]?.length);
      expect(lists[2]?.length).toBe(lists[0]?.length);
    },
  );
});
