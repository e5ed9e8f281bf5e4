import { readFileSync } from 'node:fs'
import { print } from '../output/print.ts'

const manifest = new URL('../../package.json', import.meta.url)

export const version: string = JSON.parse(readFileSync(manifest, 'utf8')).version

export const printVersion = () => print(version)
