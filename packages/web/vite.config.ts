import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { readHelpFacts, sourcesOfHelp } from './build/read-help-facts.ts'

const root = join(import.meta.dirname, '../..')
/** The server that answers for `npm run dev`. */
const server = process.env.MANDATE_URL ?? 'http://127.0.0.1:8080'
/** The addresses that the server answers itself. All others are pages of the dashboard. The page `/getting-started` has built style sheets. */
const ownAddresses = ['/api', '/approve', '/assets', '/docs', '/getting-started']

export default defineConfig({
  plugins: [react(), helpFacts(), compressFiles()],
  // The page's own addresses begin at the root of the host, where the server puts the path of PUBLIC_URL. Code finds other code beside itself.
  experimental: { renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  build: {
    target: 'es2024',
    outDir: 'dist',
    // The content security policy allows neither inlined files nor inline scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: Object.fromEntries(ownAddresses.map((address) => [address, server])) },
})

/** Gives the page *Help* its facts, from the files that define them. */
function helpFacts(): Plugin {
  const name = 'virtual:help-facts'
  return {
    name: 'help-facts',
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load(id) {
      if (id !== `\0${name}`) return undefined
      for (const file of sourcesOfHelp) this.addWatchFile(join(root, file))
      return `export const facts = ${JSON.stringify(readHelpFacts(root))}`
    },
  }
}

/** Writes a brotli and a gzip file beside each text file, so that the server sends them without work. */
function compressFiles(): Plugin {
  return {
    name: 'compress-files',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue
        const file = join(dir, name)
        const content = readFileSync(file)
        writeFileSync(`${file}.br`, brotliCompressSync(content))
        writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }))
      }
    },
  }
}
