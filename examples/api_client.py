#!/usr/bin/env python3
"""A client of the API of Handrail, made of nothing but its OpenAPI document and the standard library.

Each operation of the document is a method: client.send_message(id="…", body={"text": "…"}).

    HANDRAIL_URL=https://box.lan:4100 HANDRAIL_TOKEN=handrail_… examples/api_client.py list_conversations q=parser
    … examples/api_client.py send_message id=ID 'body={"text": "Go on"}'
"""

import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


class Problem(Exception):
    """An error that the server has answered with."""

    def __init__(self, problem):
        super().__init__(problem.get("detail", ""))
        self.status = problem.get("status")
        self.code = problem.get("code")


class Client:
    """The operations of a document, as methods."""

    def __init__(self, url, token):
        self._base = url.rstrip("/") + "/api/v1"
        self._token = token
        document = self._ask("GET", self._base + "/openapi.json", {}, None)
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                setattr(self, operation["operationId"], self._operation(method, path, operation))

    def _operation(self, method, path, operation):
        parameters = {one["name"]: one for one in operation.get("parameters", [])}

        def call(body=None, key=None, **values):
            unknown = set(values) - set(parameters)
            missing = {name for name, one in parameters.items() if one.get("required")} - set(values)
            if unknown or missing:
                raise TypeError(f"{operation['operationId']}: unknown {unknown or '{}'}, missing {missing or '{}'}")
            address, query = path, {}
            for name, value in values.items():
                if parameters[name]["in"] == "path":
                    address = address.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
                else:
                    query[name] = value
            headers = {"Idempotency-Key": key} if key else {}
            url = self._base + address + ("?" + urllib.parse.urlencode(query) if query else "")
            return self._ask(method.upper(), url, headers, body)

        call.__doc__ = operation.get("summary")
        return call

    def _ask(self, method, url, headers, body):
        data = None if body is None else json.dumps(body).encode()
        if method == "POST" and data is None:
            data = b""
        headers = {"Authorization": "Bearer " + self._token, "Content-Type": "application/json", **headers}
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise Problem(json.load(error)) from None


def main(arguments):
    client = Client(os.environ["HANDRAIL_URL"], os.environ["HANDRAIL_TOKEN"])
    operation, values = arguments[0], dict(one.split("=", 1) for one in arguments[1:])
    if "body" in values:
        values["body"] = json.loads(values["body"])
    try:
        print(json.dumps(getattr(client, operation)(**values), indent=2))
    except Problem as problem:
        sys.exit(f"{problem.status} {problem.code}: {problem}")


if __name__ == "__main__":
    main(sys.argv[1:])
