/** better-sqlite3 is optional: without it there is no leaderboard, one sentence says so, and everything else works. */
import { afterAll, expect, test, vi } from 'vitest'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Client } from './board-testing.ts'
import { startServer } from './index.ts'

vi.mock('better-sqlite3', () => {
  throw new Error("Cannot find package 'better-sqlite3'")
})

const data = mkdtempSync(join(tmpdir(), 'troupe-no-sqlite-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

test('a server without better-sqlite3 shows runs and replays, and says in one sentence what would bring the boards', async () => {
  const server = await startServer({ port: 0, data, log: pino({ level: 'silent' }), boards: true })
  try {
    expect(server.boards).toMatchObject({ on: false, problem: expect.stringMatching(/better-sqlite3.*npm install better-sqlite3/) }) // prettier-ignore
    const client = new Client(server.port)
    for (const path of ['/api/health', '/api/runs', '/api/replays']) {
      expect([path, (await client.get(path)).status]).toEqual([path, 200])
    }
    const { json } = await client.get('/api/boards')
    expect([json.on, json.problem]).toEqual([false, server.boards.on ? '' : server.boards.problem])
    const refused = await client.get('/api/boards/warehouse%2Ftiny-2ag')
    expect([refused.status, refused.json.error.code]).toEqual([503, 'environment'])
    expect(refused.text).not.toMatch(/node_modules|\.ts|\.js:|at /)
  } finally {
    await server.close()
  }
})
