import type { Sql } from '../database.ts'
import { raw } from '../statements/statement.ts'

/**
 * Tables that are read before the tenant of a request is known, so row-level security cannot protect them. They contain only
 * hashes, ids and addresses, and no other data that people entered.
 */
export const globalLookups = [
  'credential_lookup',
  'email_lookup',
  'account_lookup',
  'saml_domain_lookup',
  'saml_provider_lookup',
  'audit_unsealed',
  'audit_refused',
  'approval_deadlines',
  'report_queue',
  'sign_in_failures',
  'audit_verification_queue',
  'freeze_endings',
]

// Functions that may run with the rights of their owner. `agents_named_like` reads only rows of the current tenant.
// `advance_audit_head` writes only rows of the current tenant. `enqueue_job` writes to the job queue, which belongs to no
// tenant.
const knownDefiners = ['agents_named_like', 'advance_audit_head', 'enqueue_job']

/**
 * Finds gaps in row-level security: tenant tables without it, roles that may bypass it, and functions that run with other
 * rights than those of their caller.
 */
export async function findGapsInSecondWall(sql: Sql): Promise<string[]> {
  const tables = await sql.all(
    raw<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and (c.relname = 'tenants' or exists (select from pg_attribute a
           where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))
         and c.relname <> all ($1)
         and (not c.relrowsecurity or not c.relforcerowsecurity
           or not exists (select from pg_policy p where p.polrelid = c.oid))`,
      [globalLookups],
    ),
  )
  const [role] = await sql.all(
    raw<{ name: string; passes: boolean }>(
      `select rolname as name, rolsuper or rolbypassrls as passes from pg_roles where rolname = current_user`,
      [],
    ),
  )
  const functions = await sql.all(
    raw<{ name: string }>(
      `select proname as name from pg_proc
       where pronamespace = 'public'::regnamespace and prosecdef and proname <> all ($1)
         and not exists (select from pg_depend d where d.objid = pg_proc.oid and d.deptype = 'e')`,
      [knownDefiners],
    ),
  )
  const gaps = tables.map(({ name }) => `table ${name} has no row-level security`)
  gaps.push(...functions.map(({ name }) => `function ${name} runs with rights that are not its caller's`))
  if (role?.passes !== false) gaps.push(`role ${role?.name ?? 'unknown'} bypasses row-level security`)
  return gaps
}
