// Renders the templates of a Helm chart with the functions of Helm. Reads an object with the
// members Values, Release and Chart as JSON, and writes each document.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type files struct{ folder string }

func (f files) Get(name string) (string, error) {
	content, err := os.ReadFile(filepath.Join(f.folder, name))
	return string(content), err
}

func main() {
	if err := render(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func render(folder string) error {
	var data map[string]interface{}
	if err := json.NewDecoder(os.Stdin).Decode(&data); err != nil {
		return err
	}
	data["Files"] = files{folder}

	all := template.New("chart").Option("missingkey=zero")
	functions := sprig.TxtFuncMap()
	functions["include"] = func(name string, data interface{}) (string, error) {
		var text bytes.Buffer
		err := all.ExecuteTemplate(&text, name, data)
		return text.String(), err
	}
	functions["required"] = func(message string, value interface{}) (interface{}, error) {
		if value == nil || value == "" || fmt.Sprint(value) == "[]" {
			return nil, errors.New(message)
		}
		return value, nil
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	all.Funcs(functions)
	if _, err := all.ParseGlob(filepath.Join(folder, "templates", "*")); err != nil {
		return err
	}
	names, err := filepath.Glob(filepath.Join(folder, "templates", "*.yaml"))
	if err != nil {
		return err
	}
	for _, name := range names {
		fmt.Println("---")
		if err := all.ExecuteTemplate(os.Stdout, filepath.Base(name), data); err != nil {
			return err
		}
	}
	return nil
}
