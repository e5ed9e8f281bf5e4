import { User } from '@mandate/contract/users'
import { describe, expect, it } from 'vitest'
import { toWireUser, type UserRow, userColumns } from './wire-user.ts'

const row: UserRow = {
  id: '0190a5a0-0000-7000-8000-000000000001',
  tenant_id: '0190a5a0-0000-7000-8000-000000000002',
  email: 'Ada@example.com',
  display_name: 'Ada',
  role: 'member',
  status: 'active',
  academy_only: false,
  read_only: false,
  mfa_enrolled: true,
  federated: true,
  access_scope: 'scoped',
  last_active_at: '2026-01-02T03:04:05.678Z',
  created_at: '2026-01-01T00:00:00.000Z',
}

describe('toWireUser', () => {
  it('has exactly the fields of the contract, each from the column of the same name', () => {
    expect(toWireUser(row)).toEqual({ ...row, factors: ['totp'] })
    const ofAccess = ['agents', 'environments', 'invitation']
    expect(Object.keys(User.omit({ may: true, may_not: true }).shape).sort()).toEqual(
      [...userColumns, 'factors', ...ofAccess].sort(),
    )
  })

  it('leaves out last_active_at until it is known', () => {
    expect(Object.keys(toWireUser({ ...row, last_active_at: null }))).not.toContain('last_active_at')
  })

  it('drops every other column of the row', () => {
    expect(toWireUser({ ...row, ...{ account_id: 'secret', email_lower: 'ada@example.com' } })).toEqual({
      ...row,
      factors: ['totp'],
    })
  })

  it('an owner always has access scope all, whatever is stored', () => {
    expect(toWireUser({ ...row, role: 'owner' }).access_scope).toBe('all')
  })
})
