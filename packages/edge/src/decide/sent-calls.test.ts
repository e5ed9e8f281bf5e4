import { expect, it } from 'vitest'
import { sessionLifeMs } from '../sessions/sessions.ts'
import type { Basis } from './records.ts'
import { SentCalls } from './sent-calls.ts'

const basis = (tool: string, session = 'a') =>
  ({ session, call: { tool, otherTools: [] }, toolLabels: new Set() }) as unknown as Basis

function start() {
  let nowMs = 0
  const sent = new SentCalls(() => nowMs)
  const tools = (server: string) => sent.to(server).bases.map(({ call }) => call.tool)
  return { sent, tools, pass: (ms: number) => (nowMs += ms) }
}

it('remembers the calls to a server for the life of a session', () => {
  const { sent, tools, pass } = start()
  sent.note('web', basis('mcp:web/fetch'))
  pass(sessionLifeMs)
  sent.note('web', basis('mcp:web/search'))
  sent.note('mail', basis('mcp:mail/send'))
  expect(tools('web')).toEqual(['mcp:web/fetch', 'mcp:web/search'])
  pass(1)
  expect(tools('web')).toEqual(['mcp:web/search'])
  expect(tools('other')).toEqual([])
})

it('counts equal calls once, and a later one keeps them', () => {
  const { sent, tools, pass } = start()
  sent.note('web', basis('mcp:web/fetch'))
  pass(sessionLifeMs)
  sent.note('web', basis('mcp:web/fetch'))
  sent.note('web', basis('mcp:web/fetch', 'b'))
  pass(1)
  expect(tools('web')).toEqual(['mcp:web/fetch', 'mcp:web/fetch'])
})

it('says when it has forgotten a call, because there were too many', () => {
  const { sent, pass } = start()
  for (let n = 0; n < 1000; n++) sent.note('web', basis(`mcp:web/${n}`))
  expect(sent.to('web')).toMatchObject({ isComplete: true })
  sent.note('web', basis('mcp:web/last'))
  expect(sent.to('web').isComplete).toBe(false)
  expect(sent.to('web').bases.length).toBe(1000)
  pass(sessionLifeMs + 1)
  expect(sent.to('web')).toEqual({ bases: [], isComplete: true })
})
