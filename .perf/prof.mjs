import fs from 'node:fs';
const p=JSON.parse(fs.readFileSync(process.argv[2])); const self=new Map(); const dt=p.timeDeltas; const byId=new Map(p.nodes.map(n=>[n.id,n]));
let tot=0; p.samples.forEach((id,i)=>{const n=byId.get(id); const k=n.callFrame.functionName+' '+n.callFrame.url.split('/').slice(-2).join('/')+':'+n.callFrame.lineNumber; self.set(k,(self.get(k)??0)+dt[i]); tot+=dt[i];});
[...self].sort((a,b)=>b[1]-a[1]).slice(0,45).forEach(([k,v])=>console.log((v/tot*100).toFixed(1)+'%',k));
