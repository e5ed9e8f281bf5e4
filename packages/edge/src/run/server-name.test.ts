import { expect, test } from 'vitest'
import { serverNameOf } from './server-name.ts'

test.each([
  ['npx -y @modelcontextprotocol/server-filesystem /tmp', 'modelcontextprotocol.server-filesystem'],
  ['npx @acme/server', 'acme.server'],
  ['npx @other/server', 'other.server'],
  ['npx some-mcp-server@1.2.3', 'some-mcp-server'],
  ['npx.cmd some-mcp-server', 'some-mcp-server'],
  ['/usr/local/bin/github-mcp stdio', 'github-mcp'],
  ['uvx mcp-server-git --repository .', 'mcp-server-git'],
  ['pnpm dlx tool', 'tool'],
])('names %j %j', (command, expected) => {
  expect(serverNameOf(command.split(' '))).toBe(expected)
})

test.each([
  'docker run -i --rm -e GITHUB_TOKEN ghcr.io/github/github-mcp-server',
  'node ./dist/server.js',
  'node /srv/one/index.js',
  'python3 -m server',
  'npx',
  'npx --package a b',
  'npx -c something',
  'npx ./local',
  'npm exec tool',
  'uv run server.py',
  'env A=1 server',
  'bash -c server',
  '',
  './with%20space',
])('finds no server name in %j', (command) => {
  expect(serverNameOf(command.split(' '))).toBeNull()
})
