#if Hummingbird

    import Duet
    import DuetContext
    public import DuetHTTP
    import Foundation
    public import HTTPTypes
    public import Hummingbird
    public import Logging
    import NIOCore
    import NIOEmbedded
    import ServiceContextModule
    import Synchronization

    /// Sends requests to a Hummingbird router in this process, without a socket.
    ///
    /// ```swift
    /// let router = Router()
    /// try router.mount(notesAPI, dispatcher)
    /// let client = RouterHTTPClient(router)
    /// ```
    ///
    /// The router receives the same as from a server. Of the task's `ServiceContext`, it receives only the values that
    /// the request carries. It receives none of the task's `HTTPRequestOptions`. The caller receives the same as over a
    /// connection. Content that does not match the response's fields is therefore a broken connection.
    public struct RouterHTTPClient<Responder: HTTPResponder>: HTTPClient
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        private let responder: Responder
        private let logger: Logger

        /// Creates a client of a responder, such as that of an application.
        ///
        /// - Parameters:
        ///   - responder: Responds to the requests.
        ///   - logger: The responder's logger, which must keep metadata; nil for no log.
        package init(responder: Responder, logger: Logger? = nil) {
            self.responder = responder
            self.logger = logger ?? Logger(label: "RouterHTTPClient") { _ in SilentLogHandler() }
        }

        /// Creates a client of a router with its current routes; later routes are ignored.
        ///
        /// - Parameters:
        ///   - router: Responds to the requests.
        ///   - logger: The router's logger, which must keep metadata; nil for no log.
        public init<Builder: HTTPResponderBuilder>(_ router: Builder, logger: Logger? = nil)
        where Builder.Responder == Responder {
            self.init(responder: router.buildResponder(), logger: logger)
        }

        /// Handles the request in this task, and returns the response with its complete body.
        ///
        /// A stream of events (`text/event-stream`) arrives while it is read.
        ///
        /// As in an application, an error that the router does not turn into a response becomes the status 500.
        ///
        /// - Throws: `HTTPClientError` if the response's content failed, is too large, or does not match its fields;
        ///   `CancellationError`.
        public func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
            let body = try await body?.collectToSend()
            let options = HTTPRequestOptions.current
            let outcome: Result<(HTTPResponse, HTTPBody), any Error> = await TaskContext().run {
                await HTTPRequestOptions().use {
                    await DataUse.$current.withValue(nil) {
                        do { return .success(try await handle(request, body: body, options)) } catch {
                            return .failure(error)
                        }
                    }
                }
            }
            // A canceled caller no longer waits for the response.
            try Task.checkCancellation()
            return try outcome.get()
        }

        private func handle(
            _ request: HTTPRequest,
            body: Data?,
            _ options: HTTPRequestOptions
        ) async throws -> (HTTPResponse, HTTPBody) {
            try Task.checkCancellation()
            let limit = options.maximumBodySize
            let channel = NIOAsyncTestingChannel()
            var logger = logger
            logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
            let context = Responder.Context(source: ApplicationRequestContextSource(channel: channel, logger: logger))
            let response = await respond(to: request, body: body, context: context)
            if !options.collectsBody, response.headers[.contentType] == "text/event-stream" {
                return (response.head, HTTPBody(EventPieces(response: response, channel: channel)))
            }
            // A connection closes after the response has been read. Code that waits for its end must not wait forever.
            defer { channel.close(promise: nil) }
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
            return (response.head, HTTPBody(content.data))
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

    /// The pieces of a stream of events, which is written until its reader stops.
    private struct EventPieces: AsyncSequence {
        let response: Response
        let channel: NIOAsyncTestingChannel

        func makeAsyncIterator() -> AsyncThrowingStream<Data, any Error>.AsyncIterator {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
            let writing = Task { [response, channel] in
                do {
                    try await response.body.write(Writer(continuation: continuation))
                } catch {
                    continuation.finish(throwing: error)
                }
                continuation.finish()
                channel.close(promise: nil)
            }
            continuation.onTermination = { _ in writing.cancel() }
            return stream.makeAsyncIterator()
        }

        private struct Writer: ResponseBodyWriter {
            let continuation: AsyncThrowingStream<Data, any Error>.Continuation

            func write(_ buffer: ByteBuffer) async throws { continuation.yield(Data(buffer.readableBytesView)) }

            func finish(_ trailingHeaders: HTTPFields?) async throws {}
        }
    }

    /// The content of a response violates RFC 9110.
    private struct InvalidResponse: Error {}

    final class ResponseContent: ResponseBodyWriter, Sendable {
        struct TooLarge: Error {}

        private struct State {
            var data = Data()
            var isFinished = false
        }

        private let state = Mutex(State())
        private let limit: Int

        init(limit: Int?) {
            self.limit = limit ?? .max
        }

        var data: Data { state.withLock(\.data) }

        func write(_ buffer: ByteBuffer) async throws {
            try state.withLock { state in
                guard buffer.readableBytes <= limit - state.data.count else { throw TooLarge() }
                state.data.append(contentsOf: buffer.readableBytesView)
            }
        }

        func finish(_ trailingHeaders: HTTPFields?) async throws {
            state.withLock { $0.isFinished = true }
        }

        /// Returns the reason why a client could not have read the response from a connection, or nil if it could.
        func fault(in response: Response, to request: HTTPRequest) -> String? {
            let (count, isFinished) = state.withLock { ($0.data.count, $0.isFinished) }
            guard isFinished else { return "the content of the response was not finished" }
            // RFC 9110, section 6.4.1. The length in such a response is that of another response.
            if request.method == .head || [204, 304].contains(response.status.code) {
                return count == 0
                    ? nil : "\(request.method.rawValue) and status \(response.status.code) allow no content"
            }
            guard let length = response.headers[.contentLength], length != "\(count)" else { return nil }
            return "the response announces \(length) bytes and has \(count)"
        }
    }

    /// Logs nothing but keeps its metadata: Hummingbird reads a request's ID from it, and traps without it.
    package struct SilentLogHandler: LogHandler {
        package var metadata: Logger.Metadata = [:]
        package var logLevel = Logger.Level.critical

        package init() {}

        package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        package func log(event: LogEvent) {}
    }

#endif
