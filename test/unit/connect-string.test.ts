import { describe, expect, it } from '@jest/globals';
import { LockConfigError } from '../../lib/errors/lock-config.error.js';
import { parseConnectString } from '../../lib/session/connect-string.js';

describe('parseConnectString', () => {
  it.each([
    ['localhost', 'localhost:2181', ''],
    ['zk1:2182', 'zk1:2182', ''],
    ['zk1:2181,zk2:2182,zk3', 'zk1:2181,zk2:2182,zk3:2181', ''],
    ['  zk1:2181 , zk2:2181 ', 'zk1:2181,zk2:2181', ''],
    ['zk1:2181/', 'zk1:2181', ''],
    ['zk1:2181,zk2:2181/my-app', 'zk1:2181,zk2:2181', '/my-app'],
    ['zk1/teams/orders ', 'zk1:2181', '/teams/orders'],
    ['zk1/Überblick', 'zk1:2181', '/Überblick'],
    ['10.0.0.7:65535', '10.0.0.7:65535', ''],
    ['zk1:1', 'zk1:1', ''],
    ['zk1:02181', 'zk1:2181', ''],
    ['my_zk.svc.cluster.local.:2181', 'my_zk.svc.cluster.local.:2181', ''],
    ['[::1]', '::1:2181', ''],
    ['[2001:db8::7]:2182,zk2/app', '2001:db8::7:2182,zk2:2181', '/app'],
    ['[fe80::1%eth0]:2181', 'fe80::1%eth0:2181', ''],
  ])('should read %j', (text, hosts, chroot) => {
    expect(parseConnectString(text)).toMatchObject({ hosts, chroot });
  });

  it('should keep host and port apart', () => {
    expect(parseConnectString('[::1]:2182,zk2').servers).toEqual([
      { host: '::1', port: 2182 },
      { host: 'zk2', port: 2181 },
    ]);
  });

  it.each([
    ['', /names no server/],
    ['   ', /names no server/],
    ['/my-app', /names no server/],
    ['zk1,,zk2', /entry 2 is empty/],
    ['zk1,', /entry 2 is empty/],
    [',zk1', /entry 1 is empty/],
    ['zk1:', /"" in "zk1:" is not a port \(1 to 65535\)/],
    ['zk1:0', /"0" in "zk1:0" is not a port/],
    ['zk1:65536', /"65536" in "zk1:65536" is not a port/],
    ['zk1:2181x', /"2181x" in/],
    ['zk1:-1', /"-1" in/],
    ['zk1:2 181', /"2 181" in/],
    ['zk1 :2181', /"zk1 " is not a host name/],
    ['zk 1', /"zk 1" is not a host name/],
    ['-zk', /"-zk" is not a host name/],
    ['zk..local', /"zk..local" is not a host name/],
    ['256.0.0.1', /"256.0.0.1" is not a host name or an IP address/],
    ['10.1', /"10.1" is not a host name or an IP address/],
    [`${'a'.repeat(64)}:2181`, /is not a host name/],
    [':2181', /"" is not a host name/],
    ['zk1:2181:2182', /"zk1:2181:2182" has more than one ":"/],
    ['::1', /looks like an IPv6 address: write it in brackets/],
    ['2001:db8::7:2181', /looks like an IPv6 address: write it in brackets/],
    ['[zk1]:2181', /"zk1" is not an IPv6 address/],
    ['[::1', /"\[::1" is not "\[address\]:port"/],
    ['[::1]2181', /"\[::1\]2181" is not "\[address\]:port"/],
    ['[::1]:x', /"x" in "\[::1\]:x" is not a port/],
    ['zookeeper://zk1:2181', /starts with a scheme/],
    ['zk1:2181/a,zk2:2181/a', /the chroot stands once, behind the last server/],
    ['zk1/a,b', /has no comma/],
    ['zk1/a/', /chroot "\/a\/" is not a valid path: it ends in "\/"/],
    ['zk1//', /chroot "\/\/" is not a valid path/],
    ['zk1//a', /it has an empty name/],
    ['zk1/a//b', /it has an empty name/],
    ['zk1/./a', /relative name "\."/],
    ['zk1/a/../b', /relative name "\.\."/],
    ['zk1/a\u0000b', /U\+0000/],
    ['zk1/a\u0085b', /U\+0085/],
    ['zk1/\u{1f512}', /U\+D83D/],
    ['zk1/zookeeper/x', /belongs to the server/],
  ])('should refuse %j and say why', (text, problem) => {
    expect(() => parseConnectString(text)).toThrow(LockConfigError);
    expect(() => parseConnectString(text)).toThrow(problem);
    expect(() => parseConnectString(text)).toThrow(
      /^connectString .*Expected "host:port,host:port\/chroot"/s,
    );
  });

  it('should name the whole value', () => {
    expect(() => parseConnectString('zk1,zk2:x')).toThrow('connectString "zk1,zk2:x" is not valid');
  });

  it.each(['user:s3cret@zk1:2181', 'zk1:2181,user:s3cret@zk2/app'])(
    'should not print a password that was written into %j',
    (text) => {
      expect(() => parseConnectString(text)).toThrow(/the option `auth`/);
      expect(() => parseConnectString(text)).not.toThrow(/s3cret/);
    },
  );
});
