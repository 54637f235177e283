import { NativeZkClient } from '../../session/native-zk-client.js';
import type { ZkClientFactory } from '../../session/zk-client.js';
import type { TestingServer } from '../testing-server.js';

/**
 * The usual clients, for a server in this very process. A client that is closed blocks the event loop until the server
 * has answered, which the server cannot do meanwhile; so the server ends the session right before.
 */
export const embeddedClients =
  (server: TestingServer): ZkClientFactory =>
  (options, listener) => {
    const client = NativeZkClient.open(options, listener);
    const close = client.close.bind(client);
    client.close = () => {
      const id = `0x${client.sessionId}`;
      // One that is not connected cannot tell the server of its end: it is left to expire.
      if (server.sessions().some((session) => session.id === id && session.connected))
        server.expireSession(id);
      close();
    };
    return client;
  };

/** The same, for what the test itself does: once they have a session, the rules of `intercept` do not concern them. */
export const sparedClients =
  (server: TestingServer): ZkClientFactory =>
  (options, listener) => {
    const client = embeddedClients(server)(options, {
      connected: () => {
        server.state.rules.spare(`0x${client.sessionId}`);
        listener.connected();
      },
      disconnected: () => {
        listener.disconnected();
      },
      closed: (reason) => {
        listener.closed(reason);
      },
      watch: (event, path) => {
        listener.watch(event, path);
      },
    });
    return client;
  };
