import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractDocument } from '../../../test/contract-document.ts'
import { createPlatform } from '../../../test/platform.ts'
import { toNodeHandler } from '../../node.ts'
import { openApi30 } from './open-api-30.ts'

// oapi-codegen is the usual generator for Go, and reads only OpenAPI 3.0. This test needs Go ≥ 1.24, and fetches the
// generator and the library that its clients use from the proxy for Go modules. It takes minutes.

const GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0'
const RUNTIME = 'github.com/oapi-codegen/runtime@v1.1.2'

/** Compiles only if the generated client has these operations, types and fields. Makes two real calls. */
const PROGRAM = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.com/client"
)

func main() {
	ctx := context.Background()
	withKey := client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	})
	api, err := client.NewClientWithResponses(os.Args[1], withKey)
	if err != nil {
		panic(err)
	}
	input := client.WebhookSubscriptionInput{
		TargetUrl: "https://hooks.example.com/1", Integration: client.Zapier,
		EventTypes: []client.WebhookSubscriptionInputEventTypes{client.WebhookSubscriptionInputEventTypesOrderPaid},
	}
	created, err := api.CreateWebhookSubscriptionWithResponse(ctx, &client.CreateWebhookSubscriptionParams{}, input)
	if err != nil {
		panic(err)
	}
	listed, err := api.ListWebhookSubscriptionsWithResponse(ctx, &client.ListWebhookSubscriptionsParams{TargetUrl: &input.TargetUrl})
	if err != nil {
		panic(err)
	}
	var order client.OrderPaidEvent
	page := client.EventList{Data: []client.Event{{Id: order.Data.Order.Id}}}
	first := listed.JSON200.Data[0]
	fmt.Println(first.Id == created.JSON201.Id, first.Integration, first.Health.Delivered, first.Disabled, page.NextCursor)
}
`

let folder: string
let server: Server
let call: readonly [baseUrl: string, key: string]
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
  const { fetch, issue } = await createPlatform()
  server = createServer(toNodeHandler({ fetch })).listen(0, '127.0.0.1')
  await once(server, 'listening')
  call = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, (await issue()).token]
  folder = await mkdtemp(join(tmpdir(), 'callboard-go-'))
  await mkdir(join(folder, 'client'))
  await writeFile(join(folder, 'client/openapi.json'), JSON.stringify(openApi30(await contractDocument())))
  await writeFile(join(folder, 'client/go.mod'), 'module example.com/client\n\ngo 1.24\n')
  await mkdir(join(folder, 'client/cmd'))
  await writeFile(join(folder, 'client/cmd/main.go'), PROGRAM)
  await promisify(execFile)('go', ['version']).catch(() => {
    throw new Error('This test needs Go: install it from https://go.dev/dl, and have `go` in PATH.')
  })
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

it('oapi-codegen makes a Go client of the form in OpenAPI 3.0, and the client calls the API', async () => {
  const options = ['-generate', 'types,client,skip-prune', '-package', 'client', '-o', 'client.go', 'openapi.json']
  expect((await go('run', GENERATOR, ...options)).stderr).not.toContain('WARNING')
  await go('get', RUNTIME)
  const { stdout } = await go('run', './cmd', ...call)
  expect(stdout.trim()).toBe('true zapier 0 <nil> <nil>')
}, 600_000)
