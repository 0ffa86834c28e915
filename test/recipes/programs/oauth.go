// Gets tokens with x/oauth2 by each client authentication, and verifies them with go-jose.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
	"gopkg.in/square/go-jose.v2"
	"gopkg.in/square/go-jose.v2/jwt"
)

var issuer, id, secret = os.Getenv("ISSUER"), os.Getenv("CLIENT_ID"), os.Getenv("CLIENT_SECRET")

func main() {
	var server struct {
		TokenEndpoint string `json:"token_endpoint"`
		JwksURI       string `json:"jwks_uri"`
	}
	read(issuer+"/.well-known/oauth-authorization-server", &server)
	var keys jose.JSONWebKeySet
	read(server.JwksURI, &keys)
	for _, way := range []struct {
		name   string
		secret string
		style  oauth2.AuthStyle
		params url.Values
	}{
		{"detected", secret, oauth2.AuthStyleAutoDetect, nil},
		{"header", secret, oauth2.AuthStyleInHeader, nil},
		{"params", secret, oauth2.AuthStyleInParams, nil},
		{"assertion", "", oauth2.AuthStyleInParams, assertionParams(server.TokenEndpoint)},
		{"wrong secret", "wrong", oauth2.AuthStyleInHeader, nil},
	} {
		config := clientcredentials.Config{
			ClientID:       id,
			ClientSecret:   way.secret,
			TokenURL:       server.TokenEndpoint,
			Scopes:         []string{os.Getenv("SCOPE")},
			AuthStyle:      way.style,
			EndpointParams: way.params,
		}
		token, err := config.Token(context.Background())
		var refused *oauth2.RetrieveError
		if errors.As(err, &refused) {
			fmt.Println(way.name, refused.Response.StatusCode)
			continue
		}
		check(err)
		used, err := oauth2.NewClient(context.Background(), oauth2.StaticTokenSource(token)).
			Get(issuer + "/audit-events")
		check(err)
		fmt.Println(way.name, token.Type(), token.Valid(), verify(token.AccessToken, keys), used.StatusCode)
	}
}

func assertionParams(tokenEndpoint string) url.Values {
	var key jose.JSONWebKey
	check(json.Unmarshal([]byte(os.Getenv("PRIVATE_JWK")), &key))
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	check(err)
	assertion, err := jwt.Signed(signer).Claims(jwt.Claims{
		Issuer:   id,
		Subject:  id,
		Audience: jwt.Audience{tokenEndpoint},
		Expiry:   jwt.NewNumericDate(time.Now().Add(time.Minute)),
		ID:       fmt.Sprint(time.Now().UnixNano()),
	}).CompactSerialize()
	check(err)
	return url.Values{
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
		"client_assertion":      {assertion},
	}
}

func verify(text string, keys jose.JSONWebKeySet) bool {
	token, err := jwt.ParseSigned(text)
	check(err)
	var claims jwt.Claims
	check(token.Claims(keys.Key(token.Headers[0].KeyID)[0], &claims))
	check(claims.Validate(jwt.Expected{
		Issuer:   issuer,
		Audience: jwt.Audience{issuer},
		Subject:  id,
		Time:     time.Now(),
	}))
	return token.Headers[0].Algorithm == "EdDSA"
}

func read(address string, value interface{}) {
	response, err := http.Get(address)
	check(err)
	defer response.Body.Close()
	check(json.NewDecoder(response.Body).Decode(value))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
