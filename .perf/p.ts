import { LockClient } from '../test/support/lock-client.ts';
import { ZooKeeperServer } from '../test/support/zookeeper-server.ts';
import fs from 'node:fs';
const keep = setInterval(()=>{},1000);
const server = await ZooKeeperServer.start();
const which = process.argv[2]; const opts = JSON.parse(process.argv[3] ?? '{}');
const a = await LockClient.open(server.connectString, {sessionTimeoutMs: 30000, waitMs: 60000, ...opts});
const dir='/dev/shm/pp'+process.pid;
const section = async () => { fs.mkdirSync(dir); await new Promise(setImmediate); fs.rmdirSync(dir); };
async function many(callers:number, key:(i:number)=>string, body:()=>Promise<void>, ms=4000){
  let n=0; const end=performance.now()+ms; const cpu=process.cpuUsage();
  await Promise.all(Array.from({length:callers},async (_, i)=>{ while(performance.now()<end){ await a.locks.withLock(key(i), body); n++; }}));
  const c=process.cpuUsage(cpu); console.log(which, JSON.stringify(opts), (n/ms*1000).toFixed(0)+'/s', 'cpu µs/cycle', ((c.user+c.system)/n).toFixed(1));
}
if (which==='W3') { await many(100, ()=>'hot', section, 1000); await many(100, ()=>'hot', section); }
if (which==='W2') { await many(100, i=>'k'+i, async()=>{}, 1500); await many(100, i=>'k'+i, async()=>{}); }
if (which==='W1') { await many(1, i=>'k'+i, async()=>{}, 1500); await many(1, i=>'k'+i, async()=>{}); }
if (which==='Q') { let tail=Promise.resolve(); let n=0; const end=performance.now()+4000; const cpu=process.cpuUsage();
 await Promise.all(Array.from({length:100}, async()=>{ while(performance.now()<end){ let done:any; const prev=tail; tail=new Promise(r=>done=r); await prev; await section(); done(); n++; } })); const c=process.cpuUsage(cpu); console.log('queue', n/4, ((c.user+c.system)/n).toFixed(1)); }
await a[Symbol.asyncDispose](); await server[Symbol.asyncDispose](); clearInterval(keep);
