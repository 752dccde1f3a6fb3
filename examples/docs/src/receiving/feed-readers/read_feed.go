package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/tmaxmax/go-sse"
)

func main() {
	request, _ := http.NewRequest("GET", os.Getenv("FEED_URL"), nil)
	request.Header.Set("Authorization", "Bearer "+os.Getenv("API_KEY"))
	connection := sse.DefaultClient.NewConnection(request)
	connection.SubscribeMessages(func(message sse.Event) {
		var event struct{ Subject struct{ Sequence int } }
		if json.Unmarshal([]byte(message.Data), &event) == nil {
			fmt.Println(event.Subject.Sequence)
		}
	})
	fmt.Fprintln(os.Stderr, connection.Connect())
}
