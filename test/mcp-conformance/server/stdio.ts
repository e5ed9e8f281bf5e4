import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { everything } from './everything.ts'

serveStdio(({ era }) => everything(era))
