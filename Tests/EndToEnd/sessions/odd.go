// Go's net/http with the characters that people put into URLs; prints what came back, as JSON.
package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
)

func main() {
	base := os.Args[1]
	steps := [][]any{}
	note := func(what string, response *http.Response, err error) {
		if err != nil {
			steps = append(steps, []any{what, err.Error()})
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		steps = append(steps, []any{what, response.StatusCode, string(body)})
	}
	for _, target := range []string{
		"/filter?q={\"id\":1}", "/a?x=<y>", "/q?p=C:\\dir", "/q?re=^a$", "/q?list=a|b", "/q?n=José", "/sp%20ace/%2Fslash"} {
		response, err := http.Get(base + target)
		note(target, response, err)
	}
	opaque := &http.Request{Method: "GET", URL: &url.URL{
		Scheme: "http", Host: strings.TrimPrefix(base, "http://"), Opaque: "//" + strings.TrimPrefix(base, "http://") + "/opaque/{a}|b"}}
	response, err := http.DefaultClient.Do(opaque)
	note("opaque", response, err)
	raw := &http.Request{Method: "GET", URL: &url.URL{
		Scheme: "http", Host: strings.TrimPrefix(base, "http://"), Path: "/café/{x}"}}
	response, err = http.DefaultClient.Do(raw)
	note("path", response, err)
	reader, writer := io.Pipe()
	go func() {
		for _, part := range []string{"one,", "two,", "three"} {
			writer.Write([]byte(part))
		}
		writer.Close()
	}()
	response, err = http.Post(base+"/chunked", "text/plain", reader)
	note("chunked", response, err)
	var group sync.WaitGroup
	parallel := make([]string, 16)
	for number := range parallel {
		group.Add(1)
		go func() {
			defer group.Done()
			response, err := http.Get(base + "/parallel?n=" + strings.Repeat("x|", number))
			if err == nil {
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				parallel[number] = string(body)
			}
		}()
	}
	group.Wait()
	steps = append(steps, []any{"parallel", parallel})
	json.NewEncoder(os.Stdout).Encode(steps)
}
