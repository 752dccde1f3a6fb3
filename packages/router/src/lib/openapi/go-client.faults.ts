import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractDocument } from '../../../test/contract-document.ts'
import { openApi30 } from './open-api-30.ts'

// oapi-codegen is the usual generator for Go, and reads only OpenAPI 3.0. This test needs Go ≥ 1.24, and fetches the
// generator and the library that its clients use from the proxy for Go modules. It takes minutes.

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0'
const RUNTIME = 'github.com/oapi-codegen/runtime@v1.1.2'

/** Compiles only if the generated client has these operations, types and fields. */
const PROGRAM = `package client

import (
	"context"
	"net/http"
)

func use(ctx context.Context) (*string, *http.Response, error) {
	client, err := NewClient("https://api.example.com")
	if err != nil {
		return nil, nil, err
	}
	input := WebhookSubscriptionInput{TargetUrl: "https://hooks.example.com/1", Integration: Zapier}
	created, err := client.CreateWebhookSubscription(ctx, &CreateWebhookSubscriptionParams{}, input)
	var page EventList
	var order OrderPaidEvent
	page.Data = append(page.Data, Event{Id: order.Data.Order.Id})
	return page.NextCursor, created, err
}
`

let folder: string
const go = (...args: string[]) =>
  promisify(execFile)('go', args, {
    cwd: join(folder, 'client'),
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GOPROXY: process.env['GOPROXY'],
      GOPATH: join(folder, 'go'),
      GOCACHE: join(folder, 'cache'),
      // Without this flag, the folder of modules could not be removed afterwards.
      GOFLAGS: '-modcacherw',
    },
  })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-go-'))
  await mkdir(join(folder, 'client'))
  await writeFile(join(folder, 'client/openapi.json'), JSON.stringify(openApi30(await contractDocument())))
  await writeFile(join(folder, 'client/go.mod'), 'module example.com/client\n\ngo 1.24\n')
  await writeFile(join(folder, 'client/use.go'), PROGRAM)
  await promisify(execFile)('go', ['version']).catch(() => {
    throw new Error('This test needs Go: install it from https://go.dev/dl, and have `go` in PATH.')
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('oapi-codegen makes a Go client of the form in OpenAPI 3.0, and the client compiles', async () => {
  const options = ['-generate', 'types,client,skip-prune', '-package', 'client', '-o', 'client.go', 'openapi.json']
  expect((await go('run', GENERATOR, ...options)).stderr).not.toContain('WARNING')
  await go('get', RUNTIME)
  await go('vet', './...')
}, 600_000)
