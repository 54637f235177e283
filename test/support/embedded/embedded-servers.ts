// The process in which all embedded servers of a test run live; the protocol is in protocol.ts.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { TestingServer } from '../../../lib/testing/testing-server.js';
import type { Answer, Command } from './protocol.js';

function serve(socket: Socket): void {
  let server: TestingServer | undefined;
  const obey = async (command: Command): Promise<Answer> => {
    try {
      if (command.method === 'start') server = await TestingServer.start(command.options);
      else await server?.[command.method]();
      return {};
    } catch (error) {
      return { error: String(error) };
    }
  };
  const commands = createInterface({ input: socket });
  commands.on('line', (line) => {
    void obey(JSON.parse(line) as Command).then((answer) => socket.write(`${JSON.stringify(answer)}\n`));
  });
  socket.on('error', () => undefined); // a 'close' follows
  socket.on('close', () => void server?.stop());
}

const control = createServer(serve);
control.listen(0, '127.0.0.1', () => process.send?.((control.address() as AddressInfo).port));
