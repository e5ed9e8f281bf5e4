import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** The seed of all property tests. Null if each property has a new one in each run. */
    propertySeed: number | null
  }
}

const seed = inject('propertySeed')
if (seed !== null) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
