import { expect, test } from 'vitest'
import { serverNameOf } from './server-name.ts'

test.each([
  ['npx -y @modelcontextprotocol/server-filesystem /tmp', 'server-filesystem'],
  ['npx some-mcp-server@1.2.3', 'some-mcp-server'],
  ['/usr/local/bin/github-mcp stdio', 'github-mcp'],
  ['uvx mcp-server-git --repository .', 'mcp-server-git'],
  ['node ./dist/server.js', 'server'],
  ['pnpm dlx tool', 'tool'],
  ['npx', null],
  ['', null],
  ['./with%20space', null],
])('%j is called %j', (command, expected) => {
  expect(serverNameOf(command.split(' '))).toBe(expected)
})
