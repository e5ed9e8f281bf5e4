import { describe, expect, it } from 'vitest'
import { namedFragment, namedSql, namedStatement } from './named-parameters.ts'
import { named, raw, sql } from './statement.ts'

const statement = namedStatement(
  namedSql(
    `select :now::timestamptz, ':no', "a:b", 'it''s :no' from agents a where (a.id=:id and a.owner = :id) and :id is null`,
  ),
)
const text = `select $1::timestamptz, ':no', "a:b", 'it''s :no' from agents a where (a.id=$2 and a.owner = $3) and $4 is null`

describe('named parameters', () => {
  it('become one number per use, and casts and quoted text stay unchanged', () => {
    expect(statement({ now: 'today', id: 7, other: 1 })).toMatchObject({ text, values: ['today', 7, 7, 7] })
  })

  it('accept null as a value, and throw without a value', () => {
    expect(statement({ now: 'today', id: null }).values).toEqual(['today', null, null, null])
    expect(() => statement({ now: 'today' })).toThrow('the parameter :id has no value')
    expect(() => statement({ now: 'today', id: undefined })).toThrow('the parameter :id has no value')
  })

  it('name a statement after its text', () => {
    const values = { now: 'today', id: 7 }
    expect(named(statement(values))).toEqual(named(raw(text, ['today', 7, 7, 7])))
  })

  it('become values in a statement of the query builder', () => {
    const isOwner = namedFragment(namedSql<boolean>('(agents.owner_user_id = :userId)'))
    const built = sql
      .selectFrom('agents')
      .select('id')
      .where('tenant_id', '=', 't')
      .where(isOwner({ userId: 'u' }))
    expect(built.compile()).toMatchObject({
      sql: 'select "id" from "agents" where "tenant_id" = $1 and (agents.owner_user_id = $2)',
      parameters: ['t', 'u'],
    })
  })
})
