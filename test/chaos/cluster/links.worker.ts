// A process of its own for the links between the members: the ZooKeeper client blocks its thread when it closes, until the members
// have agreed, for which they need these links.
import { Link } from './link.js';

export type LinksMessage = { targets: number[] } | { link: number; cutOff: boolean };

const links: Link[] = [];

process.on('message', (message: LinksMessage) => {
  void (async () => {
    if ('targets' in message) {
      for (const target of message.targets) links.push(await Link.start(target));
      process.send?.(links.map(({ port }) => port));
    } else {
      links[message.link]!.isCutOff = message.cutOff;
      process.send?.('done');
    }
  })();
});
