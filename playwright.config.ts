import { defineConfig } from '@playwright/test'

const isCI = process.env.CI === 'true'

// Tests of the dashboard in Debian's Chromium, against the real server: `npm run test:browser` runs the main task of each screen, and
// `npm run test:browser:long` the tests with the tag `@long`: rarer cases, and sweeps over pages, roles, themes and widths.
export default defineConfig({
  testDir: 'test/browser',
  testMatch: '**/*.spec.ts',
  globalSetup: './test/browser/global-setup.ts',
  outputDir: 'test-results/browser',
  fullyParallel: true,
  workers: 2,
  // A test waits for what it needs, also on a busy machine. A retry would hide a test that does not.
  retries: 0,
  timeout: isCI ? 240_000 : 60_000,
  expect: { timeout: isCI ? 60_000 : 15_000 },
  reporter: [['list']],
  projects: [
    { name: 'short', grepInvert: /@long/ },
    { name: 'long', grep: /@long/ },
  ],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    screenshot: 'only-on-failure',
    launchOptions: {
      // The same engine as Debian's chromium without its windows. A run takes a fifth less time.
      executablePath: '/usr/bin/chromium-headless-shell',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
