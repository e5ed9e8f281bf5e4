import { defineConfig } from 'vitest/config'

// Named apart from *.test.ts, so that no run without the emulator picks them up.
export default defineConfig({
  test: { include: ['*.emulator.ts'], globalSetup: ['../../packages/server/src/testing/global-setup.ts'] },
})
