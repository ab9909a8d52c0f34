// Verifies calls with the official library: one JSON line {secret, headers, body} each, "ok" or "refused" back.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

type call struct {
	Secret  string
	Headers map[string]string
	Body    string
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var received call
		if err := json.Unmarshal(lines.Bytes(), &received); err != nil {
			log.Fatal(err)
		}
		headers := http.Header{}
		for name, value := range received.Headers {
			headers.Set(name, value)
		}
		webhook, err := verifier(received.Secret)
		if err != nil {
			log.Fatal(err)
		}
		if webhook.Verify([]byte(received.Body), headers) == nil {
			fmt.Println("ok")
		} else {
			fmt.Println("refused")
		}
	}
}

func verifier(secret string) (*standardwebhooks.Webhook, error) {
	if strings.HasPrefix(secret, "whsec_") {
		return standardwebhooks.NewWebhook(secret)
	}
	return standardwebhooks.NewWebhookRaw([]byte(secret))
}
