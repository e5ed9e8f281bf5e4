import { expect, test } from 'vitest'
import { readEvents } from './read-events.ts'

async function* chunksOf(...texts: (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield typeof text === 'string' ? new TextEncoder().encode(text) : text
}

async function eventsOf(...texts: (string | Uint8Array)[]) {
  const events: unknown[] = []
  for await (const event of readEvents(chunksOf(...texts))) events.push(event)
  return events
}

test('reads events that are split at any byte, and skips comments', async () => {
  const text = ': connected\n\nevent: profile\ndata: {"name":"é"}\n\n: keep-alive\n\nevent: approval\ndata: {}\n\n'
  const bytes = new TextEncoder().encode(text)
  const expected = [
    { type: 'profile', data: { name: 'é' } },
    { type: 'approval', data: {} },
  ]
  for (let at = 1; at < bytes.length; at++) {
    expect(await eventsOf(bytes.slice(0, at), bytes.slice(at))).toEqual(expected)
  }
})

test('reads line ends of Windows, and data without JSON as undefined', async () => {
  expect(await eventsOf('event: a\r\ndata: 1\r\n\r\ndata: {\n\n')).toEqual([
    { type: 'a', data: 1 },
    { type: 'message', data: undefined },
  ])
})

test('does not read an event that was cut off', async () => {
  expect(await eventsOf('event: a\ndata: 1\n')).toEqual([])
})

test('throws for an event that does not end', async () => {
  await expect(eventsOf(`data: ${'x'.repeat(70_000)}`)).rejects.toThrow('too long')
})
