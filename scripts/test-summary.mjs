/**
 * Prints "N passed, N failed" (and skipped, where there are any) from vitest's JSON report, as the last line.
 * Exits non-zero when a test failed, when the run itself failed, or when nothing ran.
 */
import { existsSync, readFileSync } from 'node:fs'

const [path, runStatus] = process.argv.slice(2)
if (!existsSync(path)) {
  process.stderr.write(`test-summary: ${path} is missing: the test run ended before it wrote its report\n`)
  process.stdout.write('0 passed, 1 failed\n')
  process.exit(1)
}
const report = JSON.parse(readFileSync(path, 'utf8'))
const passed = report.numPassedTests
// A file that cannot be loaded fails without a failed test in it.
const brokenFiles = report.testResults.filter(
  (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
)
const failed = report.numFailedTests + brokenFiles.length
const skipped = report.numPendingTests + report.numTodoTests
const bad = failed > 0 || passed === 0 || Number(runStatus) !== 0
for (const file of brokenFiles) process.stderr.write(`could not run ${file.name}: ${file.message}\n`)
const lost = bad && failed === 0 ? 1 : 0
process.stdout.write(`${passed} passed, ${failed + lost} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
process.exit(bad ? 1 : 0)
