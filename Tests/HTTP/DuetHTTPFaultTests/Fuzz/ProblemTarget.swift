import DuetHTTP
import Foundation
import FuzzTesting
import HTTPTypes

/// The decoder of problems: a response is a value, a declared problem or a failure, whose description fits on a line.
enum ProblemTarget {
    static func read(_ input: [UInt8]) async -> FuzzVerdict {
        let input = FuzzInput(input)
        // The statuses that a client accepts.
        guard let status = Int(input.first), (200...599).contains(status) else { return .elsewhere }
        var response = HTTPResponse(status: HTTPResponse.Status(code: status))
        response.headerFields[.contentType] = input.mediaType
        let client = AnsweringClient(response: response, body: input.body)
        guard let base = try? BaseURL(fuzzedServer),
            let dispatcher = try? HTTPDispatcher(fuzzedMessages, baseURL: base, client: client)
        else { return .fault("The base URL or the list is not valid") }
        do {
            _ = try await dispatcher.dispatch(FindThread(id: 1))
            return (200...299).contains(status) ? .fine : .fault("A \(status) was a value")
        } catch let error as NameTaken {
            let isRight = status >= 300 && error.by.utf8.count <= input.body.count
            return isRight ? .fine : .fault("A \(status) was \(error)")
        } catch let failure as HTTPFailure {
            let text = "\(failure)"
            // A character takes at most four bytes, and its escape six.
            guard text.utf8.count < 2_000, !text.contains(where: \.isNewline) else {
                return .fault("Its description is \(text)")
            }
            guard failure.body == input.body else { return .fault("The body was not kept") }
            return FuzzVerdict(failure.problem.flatMap(fault))
        } catch {
            return .fault("It was \(type(of: error)): \(error)")
        }
    }

    /// A decoded problem can be forwarded unchanged.
    private static func fault(_ problem: ProblemDetails) -> String? {
        do {
            let back = try JSONDecoder().decode(ProblemDetails.self, from: JSONEncoder().encode(problem))
            return back == problem ? nil : "\(problem) came back as \(back)"
        } catch {
            return "\(problem) did not come back: \(error)"
        }
    }
}

private struct AnsweringClient: HTTPClient {
    let response: HTTPResponse
    let body: Data

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        (response, HTTPBody(self.body))
    }
}
