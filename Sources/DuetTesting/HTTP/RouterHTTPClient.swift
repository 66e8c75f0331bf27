#if Hummingbird

    public import DuetHTTP
    import Foundation
    public import HTTPTypes
    public import Hummingbird
    public import Logging
    import NIOCore
    import NIOEmbedded
    import ServiceContextModule

    /// Sends requests to a Hummingbird router in this process, without a socket.
    ///
    /// ```swift
    /// let router = Router()
    /// try router.mount(dispatcher, api)
    /// let client = RouterHTTPClient(router)
    /// ```
    ///
    /// The router sees what it would see behind a server: of the task's `ServiceContext` only what the request carries,
    /// and none of its `HTTPRequestOptions`. The sender gets what it would get over a connection: content that does not
    /// fit its announcement is a broken connection.
    public struct RouterHTTPClient<Responder: HTTPResponder>: HTTPClient
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        private let responder: Responder
        private let logger: Logger

        /// Makes a client of a responder, such as that of an application.
        ///
        /// - Parameters:
        ///   - responder: Answers the requests.
        ///   - logger: What the responder logs to, which must keep metadata; nil for nothing.
        public init(responder: Responder, logger: Logger? = nil) {
            self.responder = responder
            self.logger = logger ?? Logger(label: "RouterHTTPClient") { _ in SilentLogHandler() }
        }

        /// Makes a client of a router as it is now: routes that are added later are not seen.
        ///
        /// - Parameters:
        ///   - router: Answers the requests.
        ///   - logger: What the router logs to, which must keep metadata; nil for nothing.
        public init<Builder: HTTPResponderBuilder>(_ router: Builder, logger: Logger? = nil)
        where Builder.Responder == Responder {
            self.init(responder: router.buildResponder(), logger: logger)
        }

        /// Handles the request in this task and returns the response with its whole body.
        ///
        /// An error that the router does not turn into a response is the status 500, as it is from an application.
        ///
        /// - Throws: `HTTPClientError` when the response's content failed, is too large, or does not match its fields;
        ///   `CancellationError` when the task was canceled.
        public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let body = try await body?.collectToSend()
            let limit = HTTPRequestOptions.current.maximumBodySize
            let outcome: Result<(HTTPResponse, Data), any Error> = await ServiceContext.withValue(nil) {
                await HTTPRequestOptions().use {
                    do {
                        return .success(try await answer(request, body: body, limit: limit))
                    } catch {
                        return .failure(error)
                    }
                }
            }
            // Whatever came of it: nobody waits for the answer any more.
            try Task.checkCancellation()
            let (response, content) = try outcome.get()
            return (response, HTTPBody(content))
        }

        private func answer(_ request: HTTPRequest, body: Data?, limit: Int?) async throws -> (HTTPResponse, Data) {
            try Task.checkCancellation()
            let channel = NIOAsyncTestingChannel()
            // As a connection does when the answer has been read: what waits for its end must not wait for ever.
            defer { channel.close(promise: nil) }
            var logger = logger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
            let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = await respond(to: request, body: body, context: context)
            let content = ResponseContent(limit: limit)
            do {
                try await response.body.write(content)
            } catch is ResponseContent.TooLarge {
                throw HTTPClientError.bodyTooLarge(url: request.loggableURL, limit: limit ?? 0)
            } catch {
                throw HTTPClientError.connectionFailed(url: request.loggableURL, underlying: error)
            }
            if let reason = content.fault(in: response, to: request) {
                throw HTTPClientError.connectionFailed(
                    url: request.loggableURL,
                    reason: reason,
                    underlying: InvalidResponse()
                )
            }
            return (response.head, content.data)
        }

        private func respond(to request: HTTPRequest, body: Data?, context: Responder.Context) async -> Response {
            var head = request
            if let body { head.headerFields[.contentLength] = "\(body.count)" }
            do {
                let body = RequestBody(buffer: ByteBuffer(bytes: body ?? Data()))
                return try await responder.respond(to: Request(head: head, body: body), context: context)
            } catch {
                return Response(status: .internalServerError)
            }
        }
    }

    /// The content of an answer breaks the rules of RFC 9110.
    private struct InvalidResponse: Error {}

#endif
