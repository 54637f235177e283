import { OpCode } from '../wire/op-codes.js';

/** What `cons` calls the operations that clients may ask for (`lop=`, the last operation). */
const SHORT_NAMES = new Map<number, string>([
  [OpCode.create, 'CREA'],
  [OpCode.create2, 'CREA'],
  [OpCode.createContainer, 'CREA'],
  [OpCode.createTTL, 'CREA'],
  [OpCode.delete, 'DELE'],
  [OpCode.deleteContainer, 'DELE'],
  [OpCode.exists, 'EXIS'],
  [OpCode.getData, 'GETD'],
  [OpCode.setData, 'SETD'],
  [OpCode.getACL, 'GETA'],
  [OpCode.setACL, 'SETA'],
  [OpCode.getChildren, 'GETC'],
  [OpCode.getChildren2, 'GETC'],
  [OpCode.getAllChildrenNumber, 'GETACN'],
  [OpCode.sync, 'SYNC'],
  [OpCode.ping, 'PING'],
  [OpCode.check, 'CHEC'],
  [OpCode.multi, 'MULT'],
  [OpCode.multiRead, 'MLTR'],
  [OpCode.reconfig, 'RECO'],
  [OpCode.checkWatches, 'CHKW'],
  [OpCode.removeWatches, 'REMW'],
  [OpCode.addWatch, 'ADDW'],
  [OpCode.setWatches, 'SETW'],
  [OpCode.setWatches2, 'STW2'],
  [OpCode.getEphemerals, 'GETE'],
  [OpCode.whoAmI, 'HOMI'],
  [OpCode.closeSession, 'CLOS'],
]);

/** Undefined for what is no operation of clients. Authentication has no such name. */
export function opShortName(op: number): string | undefined {
  return SHORT_NAMES.get(op);
}
