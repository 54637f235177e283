import { LockClient } from '../test/support/lock-client.ts';
import { ZooKeeperServer } from '../test/support/zookeeper-server.ts';
import { createRequire } from 'node:module';
const keep = setInterval(()=>{},1000);
const server = await ZooKeeperServer.start();
const a = await LockClient.open(server.connectString, {sessionTimeoutMs: 30000, waitMs: 60000});
const ZK = createRequire(import.meta.url)('zookeeper');
const raw = new ZK({connect: server.connectString, timeout: 30000, debug_level:0}); await new Promise(r=>raw.connect({}, r));
const api = raw.native; const call=(m:string,...args:any[])=>new Promise<any>((res,rej)=>{ const rc=api[m](...args,(rc:number,_e:any,v:any)=>rc===0?res(v):rej(new Error(m+rc))); if(rc!==0) rej(new Error('q'+rc)); });
await a.locks.withLock('w', ()=>{}); await a.locks.withLock('x', ()=>{}); await a.locks.withLock('y', ()=>{});
const s = a.connection.connectedSession!; const client=(s as any).client;
const kinds: Record<string, ()=>Promise<any>> = {
  raw: async()=>{ const c=call('a_create','/locks/w/_c_ffffffff-ffff-ffff-ffff-ffffffffffff-lock-','',3); const l=call('a_get_children','/locks/w',false); const p=await c; await l; await call('a_delete_',p,-1); },
  raw2: async()=>{ const c=call('a_create','/locks/w/_c_ffffffff-ffff-ffff-ffff-ffffffffffff-lock-',Buffer.alloc(140),3); const l=call('a_get_children2','/locks/w',false); const p=await c; await l; await call('a_delete_',p,-1); },
  client: async()=>{ const c=client.create('/locks/w/_c_ffffffff-ffff-ffff-ffff-ffffffffffff-lock-',Buffer.alloc(140),'ephemeral-sequential'); const l=client.getChildren('/locks/w',false); const p=await c; await l; await client.delete(p); },
  session: async()=>{ const c=s.create('/locks/w/_c_ffffffff-ffff-ffff-ffff-ffffffffffff-lock-',Buffer.alloc(140),'ephemeral-sequential'); const l=s.lists.list('/locks/w'); const p=await c; await l; await s.deletes.delete(p); },
  own: async()=>{ const l=await a.locks.acquire('x',{handoff:false}); await l.release(); },
  handoff: async()=>{ const l=await a.locks.acquire('y'); await l.release(); },
  withLock: async()=>{ await a.locks.withLock('y', ()=>{}); },
};
const names=Object.keys(kinds); const lat:Record<string,number[]>={}; const cpu:Record<string,number>={};
for(let round=0;round<30;round++) for (const n of names) { const c0=process.cpuUsage(); for(let i=0;i<60;i++){ const t=performance.now(); await kinds[n](); if(round>4)(lat[n]??=[]).push(performance.now()-t);} const c=process.cpuUsage(c0); if(round>4) cpu[n]=(cpu[n]??0)+c.user+c.system; }
for(const n of names){ const v=lat[n].sort((x,y)=>x-y); console.log(n.padEnd(10),'p50',v[v.length>>1].toFixed(3),'p25',v[v.length>>2].toFixed(3),'cpu µs',(cpu[n]/v.length).toFixed(0)); }
raw.close(); await a[Symbol.asyncDispose](); await server[Symbol.asyncDispose](); clearInterval(keep);
