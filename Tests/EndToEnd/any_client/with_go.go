package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

func ask(method, url, body string) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(text))
}

func main() {
	one, two, httpbin, moto := os.Getenv("ONE"), os.Getenv("TWO"), os.Getenv("HTTPBIN"), os.Getenv("MOTO")
	ask("GET", one+"/text", "")
	ask("GET", two+"/text", "")
	ask("POST", httpbin+"/anything", `{"name": "Ada"}`)
	ask("GET", httpbin+"/uuid", "")
	ask("PUT", moto+"/bucket-go", "")
	ask("GET", moto+"/", "")
}
