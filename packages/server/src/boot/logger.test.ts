import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'

function logged(entry: object): string {
  let text = ''
  createLogger('info', { write: (line) => (text += line) }).info(entry, 'seen')
  return text
}

test.each([
  'authorization',
  'cookie',
  'password',
  'token',
  'raw_key',
  'agent_key',
  'refresh_token',
  'set-cookie',
  'otp',
])('logs never show %s, at the top level or in nested objects', (field) => {
  for (const entry of [{ [field]: 'hush' }, { body: { [field]: 'hush' } }, { req: { headers: { [field]: 'hush' } } }]) {
    const text = logged(entry)
    expect(text).not.toContain('hush')
    expect(text).toContain('[redacted]')
    expect(JSON.parse(text).msg).toBe('seen')
  }
})

test('logs other fields unchanged', () => {
  expect(JSON.parse(logged({ link: 'http://here/join', to: 'a@b.example' }))).toMatchObject({
    link: 'http://here/join',
  })
})

test('logs of an error what this server made of it, and not what another server sent', () => {
  const error = Object.assign(new Error('Parse Error'), {
    code: 'HPE_INVALID_HEADER_TOKEN',
    rawPacket: Buffer.from('hush'),
  })
  const { err } = JSON.parse(logged({ err: error }))
  expect(err).toMatchObject({ message: 'Parse Error', code: 'HPE_INVALID_HEADER_TOKEN' })
  expect(err).not.toHaveProperty('rawPacket')
  for (const other of ['text', 42, null]) expect(JSON.parse(logged({ err: other })).err).toEqual(other)
})
