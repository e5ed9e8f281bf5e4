import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { statelessTools } from './stateless-tools.ts'

serveStdio(statelessTools)
