// A static program that trusts the authorities it was built with, and nobody else.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
)

// A PEM file in base64, set by the linker.
var bundle string

func main() {
	pem, err := base64.StdEncoding.DecodeString(bundle)
	own := x509.NewCertPool()
	if err != nil || !own.AppendCertsFromPEM(pem) {
		panic("no authorities")
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: own}}}
	response, err := client.Get(os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	text, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(text))
}
