import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { connectEmbedded } from '../../../../packages/embedded-postgres/src/connect-embedded.ts'

/** A text and where it is. */
export interface StoredText {
  where: string
  text: string
}

/** Reads every column of every table that can have a text: text, JSON, arrays, and bytes as they are. */
export async function textsOfTables(dataDir: string): Promise<StoredText[]> {
  const found = await connectEmbedded(dataDir)
  const client = new pg.Client({ connectionString: found?.ownerUrl })
  await client.connect()
  try {
    const { rows: columns } = await client.query<{ relation: string; column: string; type: string }>(`
      select format('%I.%I', c.table_schema, c.table_name) as relation, format('%I', c.column_name) as column, c.data_type as type
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')
        and (c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY') or c.data_type = 'USER-DEFINED')`)
    const texts: StoredText[] = []
    for (const { relation, column, type } of columns) {
      const value = type === 'bytea' ? `encode(${column}, 'escape')` : `${column}::text`
      const { rows } = await client.query<{ text: string }>(
        `select ${value} as text from ${relation} where ${column} is not null`,
      )
      texts.push({ where: `${relation}.${column}`, text: rows.map(({ text }) => text).join('\n') })
    }
    return texts
  } finally {
    await client.end()
  }
}

/** Reads all files of a folder. Mails are decoded too. */
export async function textsOfFolder(folder: string): Promise<StoredText[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  // A file may be removed meanwhile.
  return await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, 'latin1').catch(() => '')
      return { where: path, text: path.endsWith('.eml') ? `${text}\n${decodedMail(text)}` : text }
    }),
  )
}

/** Decodes the parts of a mail in quoted-printable and in base64, without looking at its headers. */
function decodedMail(mail: string): string {
  const printable = mail
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
  const blocks = mail.match(/(?:^[A-Za-z0-9+/=]{60,}\r?\n)*^[A-Za-z0-9+/=]{4,}\r?$/gm) ?? []
  return [printable, ...blocks.map((block) => Buffer.from(block, 'base64').toString('latin1'))].join('\n')
}
