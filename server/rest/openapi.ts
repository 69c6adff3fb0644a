/** The routes as an OpenAPI 3.1 document: made from the same table that serves them, so it cannot differ. */
import { ErrorBody } from '../protocol/hello.ts'
import { plain } from './checks.ts'
import { type Route } from './route.ts'

export function openApi(routes: readonly Route[], version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const route of routes) {
    const { method, path, summary, scope, query, body, upload, answer, status = 200 } = route
    const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      description: 'URL-encoded; the slash of a scenario is %2F.',
      schema: { type: 'string', maxLength: 200 },
    }))
    const asked = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
      name,
      in: 'query',
      required: query?.required?.includes(name) ?? false,
      schema: plain(schema),
    }))
    const content =
      'description' in answer && !('properties' in answer) && typeof (answer as { type?: unknown }).type === 'string'
        ? { [(answer as { type: string }).type]: {} }
        : { 'application/json': { schema: plain(answer as Parameters<typeof plain>[0]) } }
    const headers =
      method === 'post' && path === '/submissions'
        ? [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string', maxLength: 200 } }]
        : []
    ;(paths[`/api${path}`] ??= {})[method] = {
      summary,
      ...(scope === undefined ? { security: [{}, { key: [] }] } : { security: [{ key: [] }], 'x-scope': scope }),
      parameters: [...params, ...asked, ...headers],
      ...(body === undefined
        ? {}
        : { requestBody: { required: true, content: { 'application/json': { schema: plain(body) } } } }),
      ...(upload === undefined ? {} : { requestBody: { required: true, content: { [upload]: {} } } }),
      responses: {
        [status]: { description: summary, content },
        default: {
          description: 'What went wrong: where, what came, what was expected.',
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
        },
      },
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'troupe leaderboard',
      version,
      description: 'Reading needs no key. Errors never hold paths, stacks or host names.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'troupe_…, shown once when it is made' } },
      schemas: { Error: plain(ErrorBody) },
    },
  }
}
