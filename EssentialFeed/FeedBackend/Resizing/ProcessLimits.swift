/// The resources that a program may use for one image.
///
/// The default suits images of up to 100 million pixels.
package struct ProcessLimits: Sendable {
    /// The address space, in bytes.
    ///
    /// libvips needs about 200 MB to start.
    package var memory = 1_073_741_824

    /// The processor time, in seconds.
    package var processorSeconds = 10

    /// The size of the output, in bytes.
    package var outputSize = 16_777_216

    /// The time after which the program is killed.
    package var time: Duration = .seconds(30)

    package init() {}

    var options: [String] {
        ["--as=\(memory)", "--cpu=\(processorSeconds)", "--fsize=\(outputSize)", "--core=0"]
    }
}
