import Hummingbird

/// A file that pages refer to, built into the program.
struct Asset: Sendable {
    let path: String
    let mediaType: String
    let body: ByteBuffer

    static let all = [
        Asset(path: "/style.css", mediaType: "text/css; charset=utf-8", PackageResources.style_css),
        Asset(path: "/page.js", mediaType: "text/javascript; charset=utf-8", PackageResources.page_js),
        Asset(path: "/icon.svg", mediaType: "image/svg+xml", PackageResources.icon_svg),
    ]

    private init(path: String, mediaType: String, _ bytes: [UInt8]) {
        self.path = path
        self.mediaType = mediaType
        body = ByteBuffer(bytes: bytes)
    }

    var response: Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: body)
        )
    }
}
