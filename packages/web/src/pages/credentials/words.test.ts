import { expect, test } from 'vitest'
import { configOf, fineOf, settingOf } from './words.ts'

test('sends the settings of the kind that are not empty', () => {
  const given = { token_url: ' https://id.example.com/token ', client_id: 'me', scope: ' ', header: 'X-Key' }
  const config = { token_url: 'https://id.example.com/token', client_id: 'me' }
  expect(configOf('oauth_client_credentials', given)).toEqual(config)
  expect(configOf('header', given)).toEqual({ header: 'X-Key' })
  expect(configOf('bearer', given)).toEqual({})
})

test('shows the setting that tells credentials apart', () => {
  expect(settingOf({ config: { header: 'X-Key' } })).toBe('X-Key')
  expect(settingOf({ config: { token_url: 'https://id.example.com', client_id: 'me' } })).toBe('me')
  expect(settingOf({ config: {} })).toBe('–')
})

test('counts the credentials', () => {
  expect([fineOf(0), fineOf(1), fineOf(2)]).toEqual([
    'No credential is stored.',
    '1\u{a0}credential is stored.',
    '2\u{a0}credentials are stored.',
  ])
})
