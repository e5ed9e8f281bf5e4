import { text } from 'node:stream/consumers'
import { verifyReceiptText } from '@mandate/proofs/decision-receipt'
import { loadKeys } from '../audit-verify/load-keys.ts'
import { invocation } from '../invocation/invocation.ts'
import { readTextFile } from '../invocation/read-text-file.ts'
import { dataFormat, type OutputOptions, printData } from '../output/format.ts'

export interface VerifyReceiptOptions extends OutputOptions {
  /** File or URL of the service's public key. */
  key: string
  /** Expected organization id of the decision. */
  tenant?: string | undefined
  /** Expected id of the decision. */
  decision?: string | undefined
}

/** Verifies a receipt and prints the verdict as JSON. Sets exit code 1 if the receipt is invalid. `-` reads standard input. */
export async function verifyReceiptCommand(
  file: string,
  { key, tenant, decision, ...output }: VerifyReceiptOptions,
): Promise<void> {
  const keys = await loadKeys(key)
  const sent = file === '-' ? await text(invocation().stdin) : await readTextFile(file)
  const verdict = verifyReceiptText(sent, keys, { tenantId: tenant, decisionId: decision })
  printData(verdict, dataFormat(output) ?? 'json', output)
  if (!verdict.valid) invocation().exitCode = 1
}
