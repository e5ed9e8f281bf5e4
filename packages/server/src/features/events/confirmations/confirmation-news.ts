import type { Member } from '../../../authz/actor.ts'
import type { ConfirmationReader, FreezeProgress } from '../../freezes/confirmations/confirmation-reader.ts'
import type { ConfirmationNews } from '../stream/confirmation-window.ts'
import type { EventStream } from '../stream/event-stream.ts'
import { confirmedText, progressText } from './confirmation-text.ts'

/** A stream and its caller, as verified for this read. */
export interface Reader {
  stream: EventStream
  actor: Member
}

/**
 * Returns the texts of the events that a stream may send now. They count as sent, so send them at once. `at` is ISO 8601.
 * @throws the errors of the database; then nothing counts as sent
 */
export async function newsOf(
  { stream, actor }: Reader,
  reader: Pick<ConfirmationReader, 'confirmations' | 'progress'>,
  at: string,
): Promise<string[]> {
  const { confirmations: window } = stream
  const news = window.take(performance.now())
  const room = stream.wants('freeze.confirmed', actor) ? news.room : 0
  const progress = stream.wants('freeze.progress', actor) ? news.progress : []
  const read = await readNews(reader, { ...news, room, progress }).catch((error) => {
    window.giveBack(news, performance.now())
    throw error
  })
  // Nothing below waits or throws, so that the window notes only what is sent.
  const texts: string[] = []
  const shown = read.seen.slice(0, room)
  for (const one of shown) {
    const freeze = read.freezes.get(one.freezeId)
    if (!freeze) continue
    window.tell(one.freezeId, freeze)
    texts.push(confirmedText(one, freeze))
  }
  window.countSent(shown.length)
  const isComplete = room > 0 && read.seen.length <= room
  if (!isComplete) window.leaveAll(news.confirmations.slice(shown.at(-1)?.place ?? 0), performance.now())
  for (const [freezeId, eventId] of progress) {
    const freeze = read.freezes.get(freezeId)
    if (freeze?.confirmed && window.tell(freezeId, freeze)) texts.push(progressText(eventId, freeze, at))
  }
  return texts
}

/** Reads the confirmations that the caller sees, one more than there is room for, and the progress of all their freezes. */
async function readNews(
  reader: Pick<ConfirmationReader, 'confirmations' | 'progress'>,
  { confirmations, room, progress }: ConfirmationNews,
) {
  const seen = confirmations.length === 0 || room === 0 ? [] : await reader.confirmations(confirmations, room + 1)
  const freezeIds = [...seen.slice(0, room).map(({ freezeId }) => freezeId), ...progress.map(([freezeId]) => freezeId)]
  const freezes = new Map<string, FreezeProgress | undefined>()
  for (const freezeId of freezeIds) {
    if (!freezes.has(freezeId)) freezes.set(freezeId, await reader.progress(freezeId))
  }
  return { seen, freezes }
}
