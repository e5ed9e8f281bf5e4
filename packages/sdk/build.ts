import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// Builds `dist`, the package that npm users install: JavaScript and types, without dependencies. The workspace runs `src`
// directly, but Node does not run TypeScript in installed packages.

const at = (path: string) => new URL(path, import.meta.url)

rmSync(at('dist'), { recursive: true, force: true })
execFileSync('../../node_modules/.bin/tsc', ['-p', 'tsconfig.build.json'], { cwd: at('.'), stdio: 'inherit' })
const { name, version, description, license, type, sideEffects } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
const manifest = {
  name,
  version,
  description,
  license,
  type,
  sideEffects,
  engines: { node: '>=22' },
  exports: {
    '.': { types: './index.d.ts', default: './index.js' },
    './*': { types: './*.d.ts', default: './*.js' },
  },
}
writeFileSync(at('dist/package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
copyFileSync(at('../../LICENSE'), at('dist/LICENSE'))
copyFileSync(at('../../docs/sdk.md'), at('dist/README.md'))
