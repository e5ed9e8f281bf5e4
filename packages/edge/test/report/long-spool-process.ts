import { Spool } from '../../src/report/spool.ts'

// Opens the spool in the first argument, reads it to the end as the reporter does, and prints the number of records.
const [folder = '', agentId = ''] = process.argv.slice(2)
const spool = await Spool.open(folder, {
  maxBytes: 1e12,
  agentIds: [agentId],
  fsync: 'second',
  offsetMs: 0,
  now: Date.now,
})
let records = 0
for (let batch = await spool.next(1000, 500_000); batch; batch = await spool.next(1000, 500_000)) {
  records += JSON.parse(JSON.stringify(batch.records)).length
  batch.sent()
}
await spool.close()
process.stdout.write(String(records))
