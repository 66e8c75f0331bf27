import DuetHTTP
import Foundation
import Testing

struct ProblemDetailsTests {
    private func read(_ json: String) throws -> ProblemDetails {
        try JSONDecoder().decode(ProblemDetails.self, from: Data(json.utf8))
    }

    @Test func `a problem is read with all its extensions`() throws {
        let problem = try read(
            """
            {"type": "https://a.example/out-of-credit", "title": "No credit", "status": 403, "detail": "30 of 50",
             "instance": "/account/12345", "balance": 30, "accounts": ["/a", "/b"], "frozen": false, "owner": null}
            """
        )
        #expect(
            problem
                == ProblemDetails(
                    type: "https://a.example/out-of-credit",
                    title: "No credit",
                    status: 403,
                    detail: "30 of 50",
                    instance: "/account/12345",
                    extensions: [
                        "balance": .integer(30), "accounts": .array([.string("/a"), .string("/b")]),
                        "frozen": .bool(false), "owner": .null,
                    ]
                )
        )
    }

    @Test func `a problem without a type is about:blank`() throws {
        #expect(try read("{}") == ProblemDetails())
        #expect(ProblemDetails().type == "about:blank")
    }

    @Test func `members of a wrong type are ignored`() throws {
        let problem = try read(#"{"type": 1, "title": [], "status": "404", "detail": {}, "instance": true, "kept": 1}"#)
        #expect(problem == ProblemDetails(extensions: ["kept": .integer(1)]))
    }

    @Test(arguments: ["4.5", "1e300", "null"])
    func `a status that is not a whole number is ignored`(status: String) throws {
        #expect(try read(#"{"status": \#(status), "title": "T"}"#) == ProblemDetails(title: "T"))
    }

    @Test(arguments: ["[]", "\"type\"", "1", "null", "", "{"])
    func `a body that is not an object is not a problem`(json: String) {
        #expect(throws: DecodingError.self) { try read(json) }
    }

    @Test(arguments: [(-1, true), (0, true), (1, false)])
    func `an extension that is nested too deeply is left out, and the rest is kept`(beyond: Int, isKept: Bool) throws {
        let levels = JSONValue.maximumDepth + beyond
        let deep = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let problem = try read(#"{"type": "t", "deep": \#(deep), "flat": 1}"#)
        #expect(problem.type == "t")
        #expect(problem.extensions["flat"] == .integer(1))
        #expect((problem.extensions["deep"] != nil) == isKept)
    }

    @Test func `a problem reads back as it was written`() throws {
        let problem = ProblemDetails(
            type: "urn:é",
            title: "\n",
            status: 500,
            detail: "",
            instance: "/",
            extensions: ["a": .object(["b": .array([.number(0.5)])]), "": .null]
        )
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem)) == problem)
    }

    @Test func `missing members are not written, and no extension replaces a member`() throws {
        let problem = ProblemDetails(title: "T", extensions: ["title": .string("U"), "status": .integer(1)])
        let json = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(problem))
        #expect(json == .object(["type": .string("about:blank"), "title": .string("T")]))
    }
}
