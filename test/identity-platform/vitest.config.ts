import { defineConfig } from 'vitest/config'

// These files are not named *.test.ts, so that runs without the emulator skip them.
export default defineConfig({
  test: { include: ['*.emulator.ts'], globalSetup: ['../../packages/server/src/testing/global-setup.ts'] },
})
