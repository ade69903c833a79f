// What keeps a library from being run is in the capture too, not only on standard error.

const SOURCE = 1_000_000; // Above any server's.
const NOTICE_RECORDER = 5;

/**
 * Sends the reason with the library's name and says goodbye. A connection that is gone is left.
 * @param {import('./session.mjs').Session} session greeted
 * @param {number} now nanoseconds; not before what was sent
 * @param {{name: string, version: string}} library
 * @param {string} text
 */
export async function sendLastWords(session, now, library, text) {
  const { name, version, commit = '', licence = '', origin = '', isModel = false } = library;
  const about = { name, version, commit, licence, origin, isModel };
  const send = (kind, body) => ({ source: SOURCE, kind, body });
  try {
    await session.finish(now, [
      send('sourceInfo', { id: SOURCE, name: 'lab', role: 'lab', library: about }),
      send('notice', { kind: NOTICE_RECORDER, text }),
    ], null);
    await session.close();
  } catch {
    // Then nobody can be told.
  }
}
