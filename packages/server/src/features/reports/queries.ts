import type { ReportSnapshot } from '@mandate/contract/reports/report-snapshot'
import type { Report, ReportSummary, SharedReport } from '@mandate/contract/reports/reports'
import type { Member } from '../../authz/actor.ts'
import { reportVisibleTo } from '../../authz/visibility.ts'
import type { Sql, Tx } from '../../db/database.ts'
import { countBounded } from '../../db/lists/bounded-count.ts'
import { raw, sql } from '../../db/statements/statement.ts'

const summary = [
  'id',
  'tenant_id',
  'environment_id',
  'title',
  'generated_by',
  'created_at',
  'status',
  'progress_percent',
  'failure',
] as const

interface SummaryRow extends Omit<ReportSummary, 'progress' | 'failure'> {
  progress_percent: number
  failure: string | null
}

export type ReportRow = SummaryRow & { deleted_at: string | null; snapshot: ReportSnapshot | null }

/** The response for a report in a list. */
export function toSummary({ progress_percent, failure, ...report }: SummaryRow): ReportSummary {
  return { ...report, progress: progress_percent / 100, ...(failure !== null && { failure }) }
}

const visible = (db: Sql, actor: Member) =>
  sql.selectFrom('reports').where('reports.tenant_id', '=', db.tenantId).where(reportVisibleTo(actor))

const one = (db: Sql, actor: Member, id: string) =>
  visible(db, actor)
    .select([...summary, 'deleted_at', 'snapshot'])
    .where('id', '=', id)

/** Returns one page of the reports that the actor sees, newest first. Reports that were removed from the list are left out. */
export async function findReports(db: Sql, actor: Member, limit: number, offset: number) {
  const listed = visible(db, actor).where('deleted_at', 'is', null)
  const [reports, total] = await Promise.all([
    db.all(listed.select(summary).orderBy('id', 'desc').limit(limit).offset(offset)),
    countBounded(db, listed),
  ])
  return { reports: reports.map(toSummary), total }
}

/** Finds a report by its id, also if it was removed from the list. */
export function findReport(db: Sql, actor: Member, id: string): Promise<ReportRow | undefined> {
  return db.maybe(one(db, actor, id)) as Promise<ReportRow | undefined>
}

/** Like `findReport`, and locks the row until the transaction ends. */
export function lockReport(db: Sql, actor: Member, id: string): Promise<ReportRow | undefined> {
  return db.maybe(one(db, actor, id).forNoKeyUpdate()) as Promise<ReportRow | undefined>
}

/**
 * Returns the user and prevents the user's removal until the transaction ends. A removal only clears the creator of reports
 * that exist already. A report that is stored after the removal would still name the removed user.
 */
export function lockUserForKeyShare(tx: Tx, id: string) {
  return tx.maybe(
    sql.selectFrom('users').select('id').where('tenant_id', '=', tx.tenantId).where('id', '=', id).forKeyShare(),
  )
}

export function findOrganizationName(tx: Tx) {
  return tx.one(sql.selectFrom('tenants').select('name').where('id', '=', tx.tenantId))
}

export async function findGrantedAgents(db: Sql, userId: string): Promise<Set<string>> {
  const rows = await db.all(
    sql
      .selectFrom('agent_grants')
      .select('agent_id')
      .where('tenant_id', '=', db.tenantId)
      .where('user_id', '=', userId),
  )
  return new Set(rows.map((row) => row.agent_id))
}

export type NewReportRow = Pick<ReportSummary, 'id' | 'environment_id' | 'title' | 'generated_by' | 'created_at'>

export async function insertReport(tx: Tx, report: NewReportRow, snapshot: ReportSnapshot): Promise<void> {
  const { id, environment_id, title, generated_by, created_at } = report
  await tx.all(
    raw(
      `insert into reports (tenant_id, id, environment_id, title, generated_by, snapshot, created_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tx.tenantId, id, environment_id, title, generated_by, JSON.stringify(snapshot), created_at],
    ),
  )
}

export async function storeDeletion(tx: Tx, id: string, now: string): Promise<void> {
  await tx.all(raw('update reports set deleted_at = $3 where tenant_id = $1 and id = $2', [tx.tenantId, id, now]))
}

/** Returns all links of a report, revoked ones included, oldest first. */
export function findShareLinks(db: Sql, reportId: string): Promise<Report['share_links']> {
  return db.all(
    sql
      .selectFrom('report_share_links')
      .select(['id', 'created_at', 'expires_at', 'revoked_at'])
      .where('tenant_id', '=', db.tenantId)
      .where('report_id', '=', reportId)
      .orderBy('id'),
  )
}

export interface NewShareLink {
  id: string
  reportId: string
  tokenHash: Buffer
  createdBy: string
  expiresAt: string | null
  now: string
}

/** Inserts a share link, and the row of `credential_lookup` that finds the link by the hash of its token. */
export async function insertShareLink(tx: Tx, link: NewShareLink): Promise<void> {
  await tx.all(
    raw(
      `insert into report_share_links (tenant_id, id, report_id, token_hash, created_by, created_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7)`,
      [tx.tenantId, link.id, link.reportId, link.tokenHash, link.createdBy, link.now, link.expiresAt],
    ),
  )
  await tx.all(
    raw(`insert into credential_lookup (hash, kind, tenant_id, id) values ($1, 'share_link', $2, $3)`, [
      link.tokenHash,
      tx.tenantId,
      link.id,
    ]),
  )
}

/**
 * Revokes a report's share link and deletes its row of `credential_lookup`. Returns undefined if the link is unknown or already
 * revoked.
 */
export async function storeRevocation(tx: Tx, reportId: string, linkId: string, now: string) {
  const revoked = await tx.maybe(
    raw<{ token_hash: Buffer }>(
      `update report_share_links set revoked_at = $4
       where tenant_id = $1 and report_id = $2 and id = $3 and revoked_at is null returning token_hash`,
      [tx.tenantId, reportId, linkId, now],
    ),
  )
  if (!revoked) return undefined
  await tx.all(
    raw(`delete from credential_lookup where hash = $1 and kind = 'share_link' and tenant_id = $2`, [
      revoked.token_hash,
      tx.tenantId,
    ]),
  )
  return revoked
}

/** Returns the tenant id and the id of the share link that has this token. */
export function findLink(db: Sql, tokenHash: Buffer) {
  return db.maybe(
    sql
      .selectFrom('credential_lookup')
      .select(['tenant_id', 'id'])
      .where('hash', '=', tokenHash)
      .where('kind', '=', 'share_link'),
  )
}

/** Returns what an active link shows. */
export function findShared(db: Sql, linkId: string, tokenHash: Buffer, now: string) {
  return db.maybe(
    raw<SharedReport>(
      `select r.title, r.created_at, r.snapshot
       from report_share_links l join reports r on r.tenant_id = l.tenant_id and r.id = l.report_id
       where l.tenant_id = $1 and l.id = $2 and l.token_hash = $3 and l.revoked_at is null
         and (l.expires_at is null or l.expires_at > $4)`,
      [db.tenantId, linkId, tokenHash, now],
    ),
  )
}
